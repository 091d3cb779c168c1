"""The samples: functions as users write them, by subject. Installed as `autograph_rs.testing.cases`."""
