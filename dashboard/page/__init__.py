"""The pages. They know the controls, the state and the views, and not each other."""
