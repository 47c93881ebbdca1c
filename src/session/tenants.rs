//! The constraints of an engine: their states and masks share a budget, and those that are idle make room for the others.
//!
//! Which are idle is found out by asking: each generation that is large has a mark, which its sessions clear when they
//! come by. Nothing is counted and no lock is taken where all is warm.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, TryLockError, Weak};

use super::current::Current;
use super::retired::Retired;
use crate::base::{Budget, lock};

/// Who has less than this is not asked to make room.
const LEAST: usize = 64 << 10;
/// So many are looked at for each call that made something: more where the budget is met.
const ASKED_AT_ONCE: usize = 2;
const LOOKED_AT: usize = 16;
/// So many make room for each such call: each begins anew, which takes a little time.
const ROOM_AT_ONCE: usize = 4;

#[derive(Debug)]
pub(super) struct Tenants {
    budget: Arc<Budget>,
    /// Whoever is looked at next comes first.
    queue: Mutex<VecDeque<Tenant>>,
    /// The generations of those that made room.
    retired: Retired,
}

/// A constraint, and how much all had made when it was asked whether it is in use.
#[derive(Debug)]
struct Tenant {
    current: Weak<Current>,
    asked_at: usize,
}

/// How near the budget is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Who is in use has until it is nearer to say so.
    Asking,
    /// Idle ones make room.
    Near,
    /// All make room, in turn.
    Met,
}

impl Tenants {
    /// Nobody yet; all together may have about so many bytes.
    pub(super) fn new(allowed: usize) -> Self {
        Self {
            budget: Budget::new(allowed),
            queue: Mutex::default(),
            retired: Retired::default(),
        }
    }

    pub(super) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Takes in a constraint for as long as there is one.
    pub(super) fn add(&self, current: &Arc<Current>) {
        let mut queue = lock(&self.queue);
        // Of those that are gone as many leave as come, or more.
        for _ in 0..2 {
            let first = queue.pop_front();
            queue.extend(first.filter(|first| first.current.strong_count() > 0));
        }
        queue.push_back(Tenant {
            current: Arc::downgrade(current),
            asked_at: 0,
        });
    }

    /// Makes room where there is too little, after a call that worked so many steps.
    pub(super) fn tidy(&self, worked: usize) {
        self.retired.drop_some(worked);
        if self.level().is_some() {
            self.make_room();
        }
    }

    fn level(&self) -> Option<Level> {
        let (taken, allowed) = (self.budget.taken(), self.budget.allowed());
        let eighth = allowed / 8;
        match taken {
            _ if taken > allowed => Some(Level::Met),
            _ if taken > allowed - eighth => Some(Level::Near),
            _ if taken > allowed - 2 * eighth => Some(Level::Asking),
            _ => None,
        }
    }

    #[cold]
    fn make_room(&self) {
        let mut queue = match self.queue.try_lock() {
            Ok(queue) => queue,
            Err(TryLockError::Poisoned(queue)) => queue.into_inner(),
            // Another does.
            Err(TryLockError::WouldBlock) => return,
        };
        let (mut looked_at, mut made_room) = (0, 0);
        while let Some(level) = self.level() {
            let most = match level {
                Level::Asking => ASKED_AT_ONCE,
                Level::Near | Level::Met => LOOKED_AT,
            };
            if looked_at >= most || made_room >= ROOM_AT_ONCE {
                break;
            }
            let Some(mut tenant) = queue.pop_front() else {
                break;
            };
            looked_at += 1;
            if let Some(current) = tenant.current.upgrade() {
                made_room += usize::from(self.look_at(&mut tenant, &current, level));
                queue.push_back(tenant);
            }
        }
    }

    /// Asks a constraint whether it is in use, or lets it make room; whether it has.
    fn look_at(&self, tenant: &mut Tenant, current: &Current, level: Level) -> bool {
        let made = self.budget.made();
        let was_asked = match current.ask(LEAST) {
            Some(was_asked) => was_asked,
            None => return false,
        };
        // So much was made meanwhile that whoever is in use has come by.
        let since = made.wrapping_sub(tenant.asked_at);
        let is_idle = was_asked && since >= self.budget.allowed() / 16;
        if !was_asked {
            tenant.asked_at = made;
        }
        if level != Level::Met && !(level == Level::Near && is_idle) {
            return false;
        }
        let Some(live) = current.make_room() else {
            return false;
        };
        live.retire();
        self.retired.push(live);
        true
    }
}
