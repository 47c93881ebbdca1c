"""Random texts under a constraint over single bytes, for those that read them back."""

import random

TOKENS = [bytes([byte]) for byte in range(256)]


def sampled(constraint, seed, most):
    """A random text: fewer than so many bytes as they come, then the shortest way to an end."""
    choose = random.Random(seed)
    session = constraint.session()
    for _ in range(choose.randrange(1, most)):
        allowed = [token for token in session.allowed_tokens() if 32 <= token < 127 or token == 10]
        if not allowed:
            break
        session.accept(choose.choice(allowed))
    for token in session.way_out():
        session.accept(token)
    return bytes(session.tokens)
