//! The order in which outcomes come.

/// The order of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// That of the tasks.
    #[default]
    Stable,
    /// As they are ready.
    AsReady,
}
