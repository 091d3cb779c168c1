"""The parts shared by the backends of systems with functional control flow."""
