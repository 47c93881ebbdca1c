//! Files, and texts with a gap.

use super::{data, read, specs::fenced, transcripts};
use maskwright_transcript::{
    FileKind, FilePart, Format, RenderOptions, SpeltControls, render_files,
};

/// Files as one text, in which nothing may spell a control token.
fn written(files: &[FilePart]) -> Result<String, String> {
    let mut options = RenderOptions::new(Format::OpenChatMl01);
    options.spelt = SpeltControls::Refused;
    let rendered = render_files(files, &options).map_err(|error| error.to_string())?;
    Ok(rendered.text())
}

fn parts(text: &str) -> Vec<(FileKind, String)> {
    let transcript = read(text, Format::OpenChatMl01).unwrap();
    let part = |part: &FilePart| (part.kind, part.text.clone());
    transcript.files().iter().map(part).collect()
}

/// What is rendered is read as what was rendered.
#[test]
fn files_come_back() {
    use FileKind::{File, Middle, Prefix, Suffix};
    let gap = [(Prefix, "a "), (Middle, ""), (Suffix, "\nb")];
    let all: &[&[(FileKind, &str)]] = &[
        &[(File, "one")],
        &[(File, "\none\n"), (File, "\ntwo")],
        &[(File, "a"), (File, " \n"), (File, "")],
        &[(File, "\n"), (File, "b")],
        &[(File, ""), (File, "")],
        &gap,
        &[(File, "f\n"), gap[0], (Middle, "m"), gap[2]],
        &[(File, ""), gap[0], gap[1], gap[2]],
        &[(Prefix, "a"), (Middle, "b")],
    ];
    for files in all {
        let parts_of = |files: &[(FileKind, &str)]| -> Vec<FilePart> {
            let part = |&(kind, text): &(FileKind, &str)| FilePart::new(kind, text);
            files.iter().map(part).collect()
        };
        let text = written(&parts_of(files)).unwrap();
        let read: Vec<(FileKind, String)> = parts(&text);
        let read: Vec<(FileKind, &str)> = read.iter().map(|(k, t)| (*k, t.as_str())).collect();
        assert_eq!(read, *files, "{text}");
    }
}

/// The files of the parser's suites, and of the specifications, are written as they were.
#[test]
fn files_are_written_as_they_were() {
    let mut texts = Vec::new();
    for (_, _, transcript) in transcripts() {
        if !transcript.files().is_empty() {
            texts.push(transcript.text().to_owned());
        }
    }
    for name in ["openchatml-0.1.md", "openchatml-0.1-functions.md"] {
        let file = data(&format!("formats/{name}")).unwrap_or_default();
        let is_file =
            |block: &String| block.contains("<|fim_prefix|>") || block.contains("<|file_");
        texts.extend(fenced(&file).into_iter().filter(is_file));
    }
    let mut same = 0;
    for text in &texts {
        let transcript = read(text, Format::OpenChatMl01).unwrap();
        let again = written(transcript.files()).unwrap();
        assert_eq!(parts(&again), parts(text), "{text}");
        same += usize::from(again == *text);
    }
    assert!(texts.len() >= 3 && same >= 2, "{same} of {}", texts.len());
}

#[test]
fn what_cannot_be_written_is_refused() {
    let part = |kind, text| FilePart::new(kind, text);
    use FileKind::{File, Middle, Prefix, Suffix};
    for (files, reason) in [
        (vec![part(Middle, "m")], "a middle where none may stand"),
        (vec![part(Prefix, "p")], "prefix without a middle after it"),
        (
            vec![part(Prefix, "p"), part(Suffix, "s")],
            "a suffix where none may stand",
        ),
        (vec![part(File, "<|im_end|>")], "spells <|im_end|>"),
    ] {
        let error = written(&files).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
    let harmony = render_files(&[part(File, "x")], &RenderOptions::new(Format::Harmony));
    assert_eq!(harmony.unwrap_err().reason, "harmony has no files");
}
