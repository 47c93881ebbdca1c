//! What holds of rules by what holds of the rules that they name, as little as can be: linear in what they say.

/// One gate a rule, then one a part of a rule: it opens when nothing is missing any more.
#[derive(Debug)]
pub(crate) struct Gates {
    missing: Vec<usize>,
    parent: Vec<usize>,
    /// For each rule, the parts that name it.
    named_by: Vec<Vec<usize>>,
    open: Vec<usize>,
}

impl Gates {
    /// Those of so many rules, each of which opens when its one part does.
    pub(crate) fn of(rules: usize) -> Self {
        Self {
            missing: vec![1; rules],
            parent: vec![0; rules],
            named_by: vec![Vec::new(); rules],
            open: Vec::new(),
        }
    }

    /// The gate of a part of what the gate `parent` is of, which opens when so many of its own parts have.
    pub(crate) fn add(&mut self, parent: usize, missing: usize) -> usize {
        let gate = self.missing.len();
        self.missing.push(missing);
        self.parent.push(parent);
        if missing == 0 {
            self.open.push(gate);
        }
        gate
    }

    /// The gate of a part that opens when a rule does.
    pub(crate) fn add_rule(&mut self, parent: usize, rule: usize) {
        let gate = self.add(parent, 1);
        self.named_by[rule].push(gate);
    }

    /// Which rules open.
    pub(crate) fn settle(mut self) -> Vec<bool> {
        while let Some(gate) = self.open.pop() {
            match self.named_by.get_mut(gate) {
                Some(parts) => {
                    for part in std::mem::take(parts) {
                        self.less(part);
                    }
                }
                None => self.less(self.parent[gate]),
            }
        }
        let rules = self.missing.iter().take(self.named_by.len());
        rules.map(|&missing| missing == 0).collect()
    }

    fn less(&mut self, gate: usize) {
        if self.missing[gate] > 0 {
            self.missing[gate] -= 1;
            if self.missing[gate] == 0 {
                self.open.push(gate);
            }
        }
    }
}
