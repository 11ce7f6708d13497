/** Operator methods that create and release checkpoints of a running node for backups. */
import * as z from 'zod'
import { parseInput } from '../../../store/model/validation.js'
import { dropCheckpoint, makeCheckpoint, markCheckpoint } from '../../maintenance/checkpoints.js'
import type { NodeMethod } from '../control.js'

const Maker = z.object({
  pid: z.number().int().positive(),
  /** The checkpoint mark of the previous backup, or null. Only set by backup commands. */
  since: z.string().nullable().optional(),
})
const Made = z.object({ id: z.string() })

export const backupMethods: Readonly<Record<string, NodeMethod>> = {
  async 'backup.checkpoint'(node, params) {
    const { pid, since } = parseInput(Maker, params)
    const checkpoint = await (since === undefined ? makeCheckpoint(node, pid) : markCheckpoint(node, pid, since ?? undefined))
    // The socket is only accessible to the owner, and only the node may request the key.
    return { ...checkpoint, key: Buffer.from(node.nodeKey.reveal()).toString('hex') }
  },
  async 'backup.release'(node, params) {
    await dropCheckpoint(node.store.folder, parseInput(Made, params).id)
    return {}
  },
}
