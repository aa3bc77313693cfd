//! The order of outcomes.

/// The order in which outcomes are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// In the order of the tasks.
    #[default]
    Stable,
    /// As soon as they are ready.
    AsReady,
}
