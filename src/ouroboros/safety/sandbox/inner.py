"""The line of Perl, or of Python, that a command is started behind: it takes on what binds itself.

Limits and rules of Landlock would bind ``bwrap`` too, which could not mount then, so inside of it they
are taken on last.
"""

import platform
import sys
from collections.abc import Mapping

from ouroboros.safety.locking import kernel

_PRLIMIT = {"x86_64": 302, "aarch64": 261}

_PERL_LIMITS = (
    "for(split q(,),shift){my($k,$v)=split q(:);my $p=pack(q(QQ),$v,$v);syscall(%d,0,$k+0,$p,0)}"
)
_PERL_RULES = (
    "my $r=shift;my $m=shift;for(qw(/dev/pts /dev/shm)){sysopen(my $d,$_,0x200000)or next;"
    "my $g=pack(q(Qi),$m,fileno $d);syscall(445,$r+0,1,$g,0)==0 or die qq(landlock: $!\\n)}"
    "syscall(446,$r+0,0)==0 or die qq(landlock: $!\\n);open(my $f,q(<&=),$r);"
)
_PERL_END = "exec{$ARGV[0]}@ARGV;my $e=$!+0;warn qq($ARGV[0]: $!\\n);exit 126+($e==2)"

_PYTHON_LIMITS = (
    "import os,resource,struct,sys\na=sys.argv[1:]\n"
    "for k,v in(w.split(':')for w in a.pop(0).split(',')if w):\n"
    " try:resource.setrlimit(int(k),(int(v),int(v)))\n except(OSError,ValueError):pass\n"
)
_PYTHON_RULES = (
    "import ctypes\nr,m=int(a.pop(0)),int(a.pop(0))\nc=ctypes.CDLL(None).syscall\n"
    "for d in('/dev/pts','/dev/shm'):\n g=struct.pack('=Qi',m,os.open(d,os.O_PATH))\n"
    " c(445,r,1,g,0)==0 or sys.exit('landlock')\n"
    "c(446,r,0)==0 or sys.exit('landlock')\nos.close(r)\n"
)
_PYTHON_END = (
    "try:os.execvp(a[0],a)\nexcept OSError as e:\n print(f'{a[0]}: {e.strerror}',file=sys.stderr)\n"
    " sys.exit(126+(e.errno==2))"
)


def limits_of(limits: Mapping[int, int]) -> str:
    """The limits as the first argument of the line."""
    return ",".join(f"{kind}:{most}" for kind, most in limits.items())


def taking(perl: str | None) -> tuple[str, ...]:
    """Takes on limits and rules of Landlock, to which it adds folders that are made for the command.

    Next come the limits, the descriptor of the rules, the rights to those folders, and the command.
    Empty where there is no Landlock.
    """
    number = _PRLIMIT.get(platform.machine())
    if kernel.landlock_version() < 1:
        return ()
    if perl is None or number is None:
        python = _PYTHON_LIMITS + _PYTHON_RULES + _PYTHON_END
        return (sys.executable, "-I", "-S", "-c", python)
    return (perl, "-e", _PERL_LIMITS % number + _PERL_RULES + _PERL_END)
