"""The gateway: authenticates, bounds, decodes and appends; routes what the workers publish. It knows no rules
(docs/design.md 1) and keeps nothing that another gateway would need: any number run side by side, no sticky sessions.

Sockets of one room share a `fanout.Room`; all rooms share one subscribing connection and one small pool for calls.
"""
