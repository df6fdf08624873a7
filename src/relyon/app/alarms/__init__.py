"""Alarms to chats and by e-mail: receivers, messages, and their delivery."""
