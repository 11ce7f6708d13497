/** What a backup needs of a node that runs. */
import * as z from 'zod'
import { parseInput } from '../../store/model/validation.js'
import { dropCheckpoint, makeCheckpoint } from '../checkpoints.js'
import type { NodeMethod } from '../control.js'

const Maker = z.object({ pid: z.number().int().positive() })
const Made = z.object({ id: z.string() })

export const backupMethods: Readonly<Record<string, NodeMethod>> = {
  async 'backup.checkpoint'(node, params) {
    const checkpoint = await makeCheckpoint(node, parseInput(Maker, params).pid)
    // The socket is the owner's alone, and only the node may be able to ask for what opens the key.
    return { ...checkpoint, key: Buffer.from(node.nodeKey.reveal()).toString('hex') }
  },
  async 'backup.release'(node, params) {
    await dropCheckpoint(node.store.folder, parseInput(Made, params).id)
    return {}
  },
}
