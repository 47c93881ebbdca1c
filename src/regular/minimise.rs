//! Which states of a partial automaton are equivalent (Valmari, "Fast brief practical DFA
//! minimization", Information Processing Letters 112, 2012).

/// From state `tail`, on the symbol `label`, to state `head`.
#[derive(Clone, Copy)]
pub(super) struct Transition {
    pub(super) tail: u32,
    pub(super) label: u32,
    pub(super) head: u32,
}

/// The equivalence class of each state, in O(transitions × log states).
///
/// From each of the states something must be accepted: a transition that is missing and one to a
/// state without a future would be told apart.
pub(super) fn equivalence(accepting: &[bool], labels: u32, transitions: &[Transition]) -> Vec<u32> {
    let states = accepting.len();
    let mut blocks = Partition::new(states);
    for state in (0..states as u32).filter(|&s| accepting[s as usize]) {
        blocks.mark(state);
    }
    blocks.split();
    // Transitions that must be told apart when their heads are.
    let mut cords = Partition::by_key(transitions.len(), labels, |t| transitions[t as usize].label);
    let into = Buckets::new(transitions.len(), states as u32, |t| {
        transitions[t as usize].head
    });
    let (mut block, mut cord) = (1, 0);
    while cord < cords.len() {
        for i in cords.first[cord]..cords.past[cord] {
            blocks.mark(transitions[cords.elements[i as usize] as usize].tail);
        }
        blocks.split();
        cord += 1;
        while block < blocks.len() {
            for i in blocks.first[block]..blocks.past[block] {
                for &transition in into.get(blocks.elements[i as usize]) {
                    cords.mark(transition);
                }
            }
            cords.split();
            block += 1;
        }
    }
    blocks.set_of
}

/// The numbers below a bound, grouped by a key.
pub(super) struct Buckets {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Buckets {
    /// Groups `0..len` by `key`, which is below `keys`; within a group the order is ascending.
    pub(super) fn new(len: usize, keys: u32, key: impl Fn(u32) -> u32) -> Self {
        let mut ends = vec![0; keys as usize + 1];
        for item in 0..len as u32 {
            ends[key(item) as usize + 1] += 1;
        }
        for k in 1..ends.len() {
            ends[k] += ends[k - 1];
        }
        let mut items = vec![0; len];
        for item in 0..len as u32 {
            let at = &mut ends[key(item) as usize];
            items[*at as usize] = item;
            *at += 1;
        }
        Self { ends, items }
    }

    /// The group of `key`.
    pub(super) fn get(&self, key: u32) -> &[u32] {
        let begin = if key == 0 {
            0
        } else {
            self.ends[key as usize - 1]
        };
        &self.items[begin as usize..self.ends[key as usize] as usize]
    }
}

/// A partition of `0..n` that is refined by marking elements and splitting their sets.
struct Partition {
    /// The elements, set by set, each set's marked ones first.
    elements: Vec<u32>,
    location: Vec<u32>,
    set_of: Vec<u32>,
    first: Vec<u32>,
    past: Vec<u32>,
    marked: Vec<u32>,
    touched: Vec<u32>,
}

impl Partition {
    /// All elements in one set.
    fn new(len: usize) -> Self {
        Self::by_key(len, 1, |_| 0)
    }

    /// One set for each key that occurs.
    fn by_key(len: usize, keys: u32, key: impl Fn(u32) -> u32) -> Self {
        let buckets = Buckets::new(len, keys, key);
        let mut location = vec![0; len];
        let mut set_of = vec![0; len];
        let (mut first, mut past) = (Vec::new(), Vec::new());
        let mut at = 0;
        for key in 0..keys {
            let items = buckets.get(key);
            for &item in items {
                location[item as usize] = at;
                set_of[item as usize] = first.len() as u32;
                at += 1;
            }
            if !items.is_empty() {
                first.push(at - items.len() as u32);
                past.push(at);
            }
        }
        let marked = vec![0; first.len()];
        Self {
            elements: buckets.items,
            location,
            set_of,
            first,
            past,
            marked,
            touched: Vec::new(),
        }
    }

    fn len(&self) -> usize {
        self.first.len()
    }

    /// Marks an element that is not marked yet.
    fn mark(&mut self, element: u32) {
        let set = self.set_of[element as usize] as usize;
        let from = self.location[element as usize] as usize;
        let to = (self.first[set] + self.marked[set]) as usize;
        debug_assert!(from >= to, "marked twice");
        self.elements.swap(from, to);
        self.location[self.elements[from] as usize] = from as u32;
        self.location[element as usize] = to as u32;
        if self.marked[set] == 0 {
            self.touched.push(set as u32);
        }
        self.marked[set] += 1;
    }

    /// Parts the marked from the unmarked in each set that has both; the smaller part is the new set.
    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let set = set as usize;
            let (first, past) = (self.first[set], self.past[set]);
            let middle = first + std::mem::take(&mut self.marked[set]);
            if middle == past {
                continue;
            }
            let new = self.first.len() as u32;
            let (begin, end) = if middle - first <= past - middle {
                self.first[set] = middle;
                (first, middle)
            } else {
                self.past[set] = middle;
                (middle, past)
            };
            self.first.push(begin);
            self.past.push(end);
            self.marked.push(0);
            for i in begin..end {
                self.set_of[self.elements[i as usize] as usize] = new;
            }
        }
    }
}
