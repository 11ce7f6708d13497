/** Checks free disk space and the latency of synced writes. */
import { existsSync } from 'node:fs'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bytes } from '../../../terminal/output/format.js'
import { fault, fine, off, warning, type Check } from './finding.js'

const GB = 1_000_000_000
/** Below this many bytes, the node accepts no writes (store/engine/commit.ts). */
const MIN_FREE_BYTES = 32 * 1024 * 1024
const SLOW_MS = 50
const TRIES = 5

export const disk: Check = {
  name: 'disk',
  async run({ paths, config, context }) {
    if (!existsSync(paths.home)) return [off('the home does not exist yet')]
    const { bavail, bsize } = await statfs(paths.home)
    const free = bavail * bsize
    const room =
      free < MIN_FREE_BYTES
        ? fault(`${bytes(free)} free: writes are refused`, 'free some space on this disk')
        : free < GB
          ? warning(`${bytes(free)} free`, 'free some space, or move the home to a larger disk')
          : fine(`${bytes(free)} free`)
    const ms = await syncMs(paths.home)
    const words = `writes sync in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
    const backups = config?.get('backup.to') ?? null
    const sharing =
      backups !== null && (await isSameDisk(paths.home, backups))
        ? [warning(`same disk as the backups: ${backups}`, context.commandFor('config', 'set', 'backup.to', '/another/disk'))]
        : []
    return [room, ...sharing, ms > SLOW_MS ? warning(`${words}, and every acknowledged write waits for one sync`, 'move the home to a faster disk') : fine(words)]
  },
}

/** Checks whether a folder, or its nearest existing parent, is on the same disk as the home. */
async function isSameDisk(home: string, folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined)
  if (found !== undefined) return found.dev === (await stat(home)).dev
  return dirname(folder) !== folder && isSameDisk(home, dirname(folder))
}

/** Measures the median latency of a synced write, in milliseconds. */
async function syncMs(home: string): Promise<number> {
  const path = join(home, `.doctor-${process.pid}`)
  const file = await open(path, 'wx', 0o600)
  try {
    const times = []
    for (let n = 0; n < TRIES; n++) {
      await file.write(Buffer.alloc(4096, n))
      const began = performance.now()
      await file.datasync()
      times.push(performance.now() - began)
    }
    return times.sort((a, b) => a - b)[TRIES >> 1] ?? 0
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}
