#!/bin/sh
# Starts systemd as process 1 of namespaces of its own, with nothing but the unit of deploy/systemd. Everything that is written is in
# memory, over the files of this machine, and gone with the namespaces.
#   unshare --mount --pid --fork --uts --ipc --cgroup --kill-child systemd-boot.sh REPOSITORY UNITS ENVIRONMENT
# REPOSITORY is where the unit expects the installed package, UNITS a folder of units, ENVIRONMENT the file /etc/orch/orch.env.
set -eu
repository=$1 units=$2 environment=$3

mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
root=/mnt/root
mount -t proc proc $root/proc
mount -t sysfs sysfs $root/sys
mount -t cgroup2 cgroup2 $root/sys/fs/cgroup
for folder in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs $root/$folder; done
chmod 1777 $root/tmp
for device in null zero full random urandom tty; do
  touch $root/dev/$device
  mount --bind /dev/$device $root/dev/$device
done
mkdir $root/dev/shm $root/dev/pts
mount -t devpts -o newinstance,ptmxmode=666 devpts $root/dev/pts
ln -s pts/ptmx $root/dev/ptmx

mkdir -p $root/usr/lib/node_modules/orch $root/run/units
mount --bind "$repository" $root/usr/lib/node_modules/orch
cp -r "$units"/. $root/run/units
install -d -m 750 $root/etc/orch
cp "$environment" $root/etc/orch/orch.env
systemd-sysusers --root=$root "$repository/deploy/systemd/orch.sysusers"

# A changed root by chroot would keep the unit from having user namespaces.
cd $root
mkdir former
pivot_root . former
umount -l /former
export container=test SYSTEMD_UNIT_PATH=/run/units
exec /lib/systemd/systemd --system --unit=orch.service --log-target=null
