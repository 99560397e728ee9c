/** Connects its own standard streams to a child in a pseudo terminal; ends with the child's exit code. */
export const RELAY = `
import fcntl, os, pty, select, struct, sys, termios
rows, cols = int(sys.argv[1]), int(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, cols, 0, 0))
open_in = True
while True:
    ready, _, _ = select.select([fd] + ([0] if open_in else []), [], [])
    if fd in ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if open_in and 0 in ready:
        data = os.read(0, 65536)
        if data:
            os.write(fd, data)
        else:
            open_in = False
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`;
