"""The interfaces of other libraries, over shardfft."""
