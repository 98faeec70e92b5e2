"""constants.py: the constants of rmath_*.h that are numbers in several parts, and the table of
rmath_two_over_pi.h. Needs mpmath."""
from mpmath import floor, log, mp, mpf, nint, pi

mp.prec = 2400


def leading(value, bits):
    """value rounded to so many bits"""
    unit = mpf(2) ** (int(floor(log(abs(value), 2))) - bits + 1)
    return nint(value / unit) * unit


def parts(value, widths):
    out = []
    for bits in widths:
        head = leading(value, bits)
        out.append(float(head))
        value -= head
    return out


def show(name, numbers):
    print(name, ", ".join(x.hex() for x in numbers))


show("pi/2 for r_reduce_near", parts(pi / 2, [37, 37, 53]))
show("pi", parts(pi, [53, 53]))
show("pi/2", parts(pi / 2, [53, 53]))
show("ln 2", parts(log(2), [42, 53]))
show("log2 e", parts(1 / log(2), [53]))
show("2/3", parts(mpf(2) / 3, [53, 53]))

print("r_two_over_pi")
for row in range(32):
    t = 2 / pi * mpf(2) ** (32 * row)
    t -= nint(t / 2**54) * 2**54
    print("  " + ", ".join(x.hex() for x in parts(t, [53] * 4)) + ",")
