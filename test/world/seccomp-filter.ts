/** Compiles a profile of system calls as container engines do: with libseccomp, which every Debian has. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import type { Profile } from '../seccomp.ts';

const COMPILE = `
import ctypes, json, os, sys
lib = ctypes.CDLL('libseccomp.so.2', use_errno=True)
class Test(ctypes.Structure):
    _fields_ = [('arg', ctypes.c_uint), ('op', ctypes.c_int), ('a', ctypes.c_uint64), ('b', ctypes.c_uint64)]
lib.seccomp_init.restype = ctypes.c_void_p
lib.seccomp_init.argtypes = [ctypes.c_uint32]
lib.seccomp_syscall_resolve_name.argtypes = [ctypes.c_char_p]
lib.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Test)]
lib.seccomp_export_bpf.argtypes = [ctypes.c_void_p, ctypes.c_int]
OPS = {'SCMP_CMP_NE': 1, 'SCMP_CMP_LT': 2, 'SCMP_CMP_LE': 3, 'SCMP_CMP_EQ': 4, 'SCMP_CMP_GE': 5, 'SCMP_CMP_GT': 6, 'SCMP_CMP_MASKED_EQ': 7}
def action(name, errno):
    return 0x7fff0000 if name == 'SCMP_ACT_ALLOW' else 0x00050000 | (1 if errno is None else errno)
profile = json.load(sys.stdin)
filter = lib.seccomp_init(action(profile['defaultAction'], profile['defaultErrnoRet']))
for rule in profile['syscalls']:
    tests = [Test(one['index'], OPS[one['op']], one['value'], one.get('valueTwo', 0)) for one in rule.get('args', [])]
    for name in rule['names']:
        number = lib.seccomp_syscall_resolve_name(name.encode())
        if number < 0: continue
        failed = lib.seccomp_rule_add_array(filter, action(rule['action'], rule.get('errnoRet')), number, len(tests), (Test * len(tests))(*tests))
        if failed: sys.exit(name + ': ' + os.strerror(-failed))
sys.exit(lib.seccomp_export_bpf(filter, 1) and 'it cannot be written')
`;

/** Writes the compiled rules to a file, for this machine. */
export function compileProfile(profile: Profile, file: string): string {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', COMPILE], { input: JSON.stringify(profile) });
  if (status !== 0) throw new Error(`the profile can't be compiled: ${stderr}`);
  fs.writeFileSync(file, stdout);
  return file;
}
