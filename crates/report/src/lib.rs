//! Room report (see DESIGN.md).
