//! Prints the page of questions: `cargo run -p report --example questions > docs/questions.md`.

#[allow(clippy::print_stdout, reason = "it prints a page")]
fn main() {
    print!("{}", report::questions::page(report::Lang::En));
}
