//! What a deployment narrows or widens in a format: profiles, capabilities, built-in tools, thoughts.

/// A channel of Harmony and OpenChatML 2.2 (§5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Thoughts.
    Analysis,
    /// Calls, and words before them.
    Commentary,
    /// The answer.
    Final,
}

/// A set of channels.
///
/// ```
/// use maskwright::front::chat::{Channel, Channels};
/// let channels = Channels::from_iter([Channel::Commentary]);
/// assert!(channels.contains(Channel::Commentary) && !channels.contains(Channel::Final));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channels(u8);

impl Channels {
    /// All three.
    pub const ALL: Self = Self(0b111);

    /// Whether `channel` is in the set.
    pub const fn contains(self, channel: Channel) -> bool {
        self.0 & (1 << channel as u8) != 0
    }
}

impl FromIterator<Channel> for Channels {
    fn from_iter<I: IntoIterator<Item = Channel>>(channels: I) -> Self {
        let bits = channels.into_iter().map(|channel| 1 << channel as u8);
        Self(bits.fold(0, |set, bit| set | bit))
    }
}

/// The major version of OpenChatML that a conversation is held in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Version {
    /// 1.x: no channels; every message is final.
    V1,
    /// 2.x.
    #[default]
    V2,
}

/// How `<|constrain|>` is used before JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Constrain {
    /// Not at all: the other side does not know it.
    Unknown,
    /// Where the model likes.
    #[default]
    Optional,
    /// Always before the arguments of a call.
    Required,
}

/// Whether texts may hold literal blocks (OpenChatML 2.2 §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LiteralBlocks {
    /// They may.
    #[default]
    Allowed,
    /// They may not: the other side does not know them.
    Forbidden,
}

/// Whether a call carries an id (OpenChatML 2.2 §6; Harmony has none).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CallIds {
    /// Always.
    #[default]
    Required,
    /// Where the model likes.
    Optional,
}

/// What narrows or widens a format. The default is the format as it is deployed.
///
/// ```
/// use maskwright::front::chat::{ChatOptions, Constrain, Profile};
/// let mut options = ChatOptions::default();
/// options.profile = Profile::hip_1();
/// assert_eq!(options.profile.constrain, Constrain::Required);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The version that is spoken.
    pub version: Version,
    /// The channels that may be written.
    pub channels: Channels,
    /// How `<|constrain|>` is used.
    pub constrain: Constrain,
    /// Whether there may be literal blocks.
    pub literal_blocks: LiteralBlocks,
    /// Whether calls need an id.
    pub call_ids: CallIds,
    /// Where functions of the request are called: `commentary`; `analysis` too widens it.
    pub functions_on: Channels,
    /// Where built-in tools are called: `analysis` and `commentary`.
    pub built_ins_on: Channels,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            version: Version::default(),
            channels: Channels::ALL,
            constrain: Constrain::default(),
            literal_blocks: LiteralBlocks::default(),
            call_ids: CallIds::default(),
            functions_on: Channels::from_iter([Channel::Commentary]),
            built_ins_on: Channels::from_iter([Channel::Analysis, Channel::Commentary]),
        }
    }
}

impl Profile {
    /// OpenChatML 2.2's interoperation profile with Harmony (§12), read strictly: `<|constrain|>json`
    /// before the arguments of every call, and ids as the model likes.
    pub fn hip_1() -> Self {
        Self {
            constrain: Constrain::Required,
            call_ids: CallIds::Optional,
            ..Self::default()
        }
    }
}

/// Whether a tool is there that a format has built in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    /// It is not.
    #[default]
    Absent,
    /// The model may call it.
    Offered,
}

/// The tools that formats have built in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuiltIns {
    /// `python`, which takes code; InternLM2's `<|interpreter|>`.
    pub python: BuiltIn,
    /// `browser.search`, `browser.open` and `browser.find`.
    pub browser: BuiltIn,
}

/// Whether a turn holds a thought block of one kind (OpenChatML 0.1, section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Thought {
    /// It may not.
    #[default]
    Forbidden,
    /// It may.
    Offered,
    /// It must.
    Demanded,
}

/// The thought blocks of OpenChatML 0.1, in the order in which they come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Thoughts {
    /// `<|start_reflect|>`
    pub reflect: Thought,
    /// `<|start_introspect|>`
    pub introspect: Thought,
    /// `<|start_reason|>`
    pub reason: Thought,
}

/// How the base model spells the tokens that begin and end a sequence (OpenChatML 0.1, section 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceTokens {
    /// `[BOS]`
    pub begin: String,
    /// `[EOS]`
    pub end: String,
}

impl Default for SequenceTokens {
    fn default() -> Self {
        Self {
            begin: "<s>".to_owned(),
            end: "</s>".to_owned(),
        }
    }
}
