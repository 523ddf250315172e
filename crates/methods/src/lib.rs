//! Room methods (see DESIGN.md).
