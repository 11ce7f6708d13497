/**
 * A node process that cuts the power of its disk at a boundary. The variable CUTTER contains the cutting program as JSON.
 * Input lines: `cut <boundary> <n>`, answered immediately and after the cut; `compact`, answered when it is done.
 */
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeCheckpoint } from '../../../src/server/maintenance/checkpoints.js'
import type { RunningNode } from '../../../src/server/launch/run.js'
import { createArchive } from '../../../src/store/backup/create.js'
import { say, serve } from '../../crash/serve.js'

const [program = '', ...line] = JSON.parse(process.env['CUTTER'] ?? '[]') as string[]

function cut(): void {
  // Blocks the thread until the power is cut.
  execFileSync(program, line, { stdio: 'ignore' })
  say({ cut: true })
}

/** Cuts the power before or after the n-th commit from now on. */
function atCommit({ node: { store } }: RunningNode, n: number, when: 'before' | 'after'): void {
  const makeBatch = store.db.batch.bind(store.db)
  let remaining = n
  store.db.batch = () => {
    const batch = makeBatch()
    return {
      put: (key, value) => batch.put(key, value),
      delete: (key) => batch.delete(key),
      get length() {
        return batch.length
      },
      async write(options) {
        remaining -= 1
        if (remaining === 0 && when === 'before') cut()
        await batch.write(options)
        if (remaining === 0 && when === 'after') cut()
      },
    }
  }
}

/** Cuts the power between the rename of the n-th attached file from now on and the commit of its event. */
function afterRename({ node: { store } }: RunningNode, n: number): void {
  const keep = store.blobs.keep
  let remaining = n
  store.blobs.keep = async (account, received) => {
    await keep(account, received)
    remaining -= 1
    if (remaining === 0) cut()
  }
}

/** Cuts the power within the n-th uploaded file from now on, or after its bytes are on disk and before its rename. */
function atUpload({ node: { store } }: RunningNode, n: number, when: 'during' | 'after'): void {
  const { receive } = store.blobs
  let remaining = n
  store.blobs.receive = async (bytes, ...options) => {
    remaining -= 1
    if (remaining !== 0) return receive(bytes, ...options)
    async function* cutting(): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        const half = Math.ceil(chunk.length / 2)
        yield chunk.subarray(0, half)
        if (when === 'during') cut()
        yield chunk.subarray(half)
      }
    }
    const received = await receive(cutting(), ...options)
    if (when === 'after') cut()
    return received
  }
}

/** Repeats `work`, and cuts the power after `ms`. */
function during(work: () => Promise<void>, ms: number): void {
  let isOver = false
  void (async () => {
    while (!isOver) await work().catch(() => {})
  })()
  void sleep(ms).then(() => {
    isOver = true
    cut()
  })
}

/** Creates a checkpoint and an archive of it in this process, on the same disk. */
async function backUp({ node }: RunningNode, name: string): Promise<void> {
  const checkpoint = await writeCheckpoint(node, process.pid)
  const folder = join(dirname(node.store.folder), 'backups', name)
  await createArchive({ ...checkpoint, home: { key: Buffer.alloc(32) } }, { folder, now: () => Date.now() / 1000, product: '0' })
}

await serve(async (running, [word, boundary, n = '1']) => {
  if (word === 'compact') {
    const ended = await running.node.store.db.compact({ gte: '', lt: '~' }).then(
      () => ({ compacted: true }),
      (error: unknown) => ({ compacted: false, message: String(error) }),
    )
    return say(ended)
  }
  if (word !== 'cut') return
  const count = Number(n)
  let made = 0
  if (boundary === 'before-commit') atCommit(running, count, 'before')
  else if (boundary === 'after-commit') atCommit(running, count, 'after')
  else if (boundary === 'during-upload') atUpload(running, count, 'during')
  else if (boundary === 'after-upload') atUpload(running, count, 'after')
  else if (boundary === 'after-rename') afterRename(running, count)
  else if (boundary === 'compaction') during(() => running.node.store.db.compact({ gte: '', lt: '~' }), count)
  else if (boundary === 'backup') during(() => backUp(running, `${Date.now()}-${(made += 1)}`), count)
  else throw new Error(`unknown boundary ${boundary}`)
  say({ armed: true })
})
