//! Room lab (see DESIGN.md).
