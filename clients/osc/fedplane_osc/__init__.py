"""`openstack coe federation`: the commands of Magnum's federation specification."""
