//! One of the texts given as arguments; the text is the exit.

use crate::front::json_schema::lower::packed::{pack, unpack};
use crate::grammar::{Hints, ImplicitBody, Node, Reading, Words};

/// Reads one of the texts given as arguments, packed.
///
/// Positions are the number of words of the arguments, these, and the bytes read, one to a word.
#[derive(Debug)]
pub(crate) struct TextsBody;

impl ImplicitBody for TextsBody {
    fn start(&self, args: &Words) -> Words {
        let mut words = Words::from_slice(&[args.len() as u32]);
        words.extend_from_slice(args);
        words
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (texts, read) = words[1..].split_at(words[0] as usize);
        let here: Words = words[..words.len() - read.len()].into();
        let read: Vec<u8> = read.iter().map(|&byte| byte as u8).collect();
        let texts = unpack(texts);
        if texts.iter().any(|text| **text == *read) {
            node.exit = Some(pack([read.as_slice()]));
        }
        let further = texts.iter().filter(|text| text.starts_with(&read));
        let mut bytes: Vec<u8> = further
            .filter_map(|text| text.get(read.len()).copied())
            .collect();
        bytes.sort_unstable();
        bytes.dedup();
        bytes
            .into_iter()
            .for_each(|byte| node.byte(byte, here.clone()));
        node.reading = Reading::Recording {
            carried: read.len() as u32,
        };
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for TextsBody {
    fn gist(&self, words: &Words) -> Option<Words> {
        // The end is where the text is.
        Some(words.clone())
    }
}
