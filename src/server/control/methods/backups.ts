/** What a backup needs of a node that runs. */
import * as z from 'zod'
import { parseInput } from '../../../store/model/validation.js'
import { dropCheckpoint, makeCheckpoint, markCheckpoint } from '../../checkpoints.js'
import type { NodeMethod } from '../control.js'

const Maker = z.object({
  pid: z.number().int().positive(),
  /** Of the makers of backups: the mark of the one before, or null. */
  since: z.string().nullable().optional(),
})
const Made = z.object({ id: z.string() })

export const backupMethods: Readonly<Record<string, NodeMethod>> = {
  async 'backup.checkpoint'(node, params) {
    const { pid, since } = parseInput(Maker, params)
    const checkpoint = await (since === undefined ? makeCheckpoint(node, pid) : markCheckpoint(node, pid, since ?? undefined))
    // The socket is the owner's alone, and only the node may be able to ask for what opens the key.
    return { ...checkpoint, key: Buffer.from(node.nodeKey.reveal()).toString('hex') }
  },
  async 'backup.release'(node, params) {
    await dropCheckpoint(node.store.folder, parseInput(Made, params).id)
    return {}
  },
}
