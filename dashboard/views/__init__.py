"""Views: parts of a trace as blocks, frames and figures. They know no Streamlit and not each other."""
