# Process 1 in the host's files: runs the command, sends what it says, then how it ended.
# Consoles: hvc0 is the command's output, hvc1 what it complains of, hvc2 its exit status.
b=/run/vm/busybox
# Their settings last as long as they are open.
exec 3<>/dev/hvc0 4<>/dev/hvc1 5<>/dev/hvc2
for console in 3 4 5; do
	eval "$b stty raw -echo <&$console"
done
$b hostname vm
$b ip link set lo up

# Through pipes, so that programs see no terminal and may open /dev/stdout.
$b mkfifo /run/vm/output /run/vm/complaints
$b cat /run/vm/output >&3 &
output=$!
$b cat /run/vm/complaints >&4 &
complaints=$!
$b setsid /bin/sh "$1/command" </dev/null >/run/vm/output 2>/run/vm/complaints 3>&- 4>&- 5>&-
status=$?

# Whatever the command left running would keep the pipes open.
for process in /proc/[0-9]*; do
	case ${process#/proc/} in
	1 | $output | $complaints) ;;
	*) kill -9 "${process#/proc/}" ;;
	esac
done 2>/dev/null
wait $output $complaints
echo $status >&5
$b poweroff -f
