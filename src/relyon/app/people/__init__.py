"""People: invitations, members of projects, and signing in with an identity provider."""
