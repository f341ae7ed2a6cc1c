/** Mounts of folders that stand for containers, all of which end with the script. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'

export type Mounts = {
  /** @returns a folder that shows `base`, with changes in `dir` */
  overlay(base: string, dir: string): Promise<string>
  /**
   * Mounts that programs expect of a system.
   * @returns ends these mounts
   */
  system(root: string): Promise<() => Promise<void>>
  removeAll(): Promise<void>
}

export function openMounts(): Mounts {
  let open: string[] = []
  const unmount = async (path: string): Promise<void> => {
    open = open.filter((other) => other !== path)
    await $`umount --lazy ${path}`.quiet()
  }
  return {
    async overlay(base, dir) {
      for (const name of ['changes', 'work', 'root']) mkdirSync(join(dir, name), { recursive: true })
      const root = join(dir, 'root')
      const options = `lowerdir=${base},upperdir=${join(dir, 'changes')},workdir=${join(dir, 'work')}`
      await $`mount -t overlay overlay -o ${options} ${root}`.quiet()
      open.push(root)
      return root
    },
    async system(root) {
      const hadResolver = existsSync(join(root, 'etc/resolv.conf'))
      if (!hadResolver) writeFileSync(join(root, 'etc/resolv.conf'), '')
      writeFileSync(join(root, 'etc/resolv.conf'), readFileSync('/etc/resolv.conf'))
      const [proc, dev] = [join(root, 'proc'), join(root, 'dev')]
      await $`mount -t proc proc ${proc}`.quiet()
      open.push(proc)
      await $`mount --bind /dev ${dev}`.quiet()
      open.push(dev)
      return async () => {
        await unmount(dev)
        await unmount(proc)
      }
    },
    async removeAll() {
      for (const path of [...open].reverse()) await unmount(path)
    },
  }
}
