/** Operator methods that create and release checkpoints of a running node for backups. */
import * as z from 'zod'
import { dropCheckpoint, writeCheckpoint, markCheckpoint } from '../../maintenance/checkpoints.js'
import { operatorMethod } from '../operatorMethod.js'

const createCheckpoint = operatorMethod({
  id: 'backup.checkpoint',
  summary: 'Creates a checkpoint of the store for the process that makes a backup.',
  localCommand: 'coffer backup create',
  input: z.strictObject({
    pid: z.number().int().positive().describe('Process id; the checkpoint lasts as long as the process.'),
    since: z.string().nullable().optional().describe('Mark of the previous backup, or null for none. Without it, the result has no mark.'),
  }),
  output: () => z.object({
    id: z.string().describe('Id of the checkpoint.'),
    store: z.string().describe('Folder of the database.'),
    files: z.string().describe('Folder of the attached files.'),
    mark: z.string().optional().describe('Mark for the next backup.'),
    changed: z.array(z.string()).optional().describe('Key prefixes that changed since the previous backup; absent when unknown.'),
    key: z.string().describe('Node key, hexadecimal.'),
  }),
  fails: [],
  async run({ node }, { pid, since }) {
    const checkpoint = await (since === undefined ? writeCheckpoint(node, pid) : markCheckpoint(node, pid, since ?? undefined))
    // The socket is only accessible to the owner, and only the node may request the key.
    return { ...checkpoint, key: Buffer.from(node.nodeKey.reveal()).toString('hex') }
  },
})

const releaseCheckpoint = operatorMethod({
  id: 'backup.release',
  summary: 'Removes a checkpoint.',
  localCommand: 'coffer backup create',
  input: z.strictObject({ id: z.string().describe('Id of the checkpoint.') }),
  output: () => z.object({}),
  fails: ['invalid-parameters-format'],
  async run({ node }, { id }) {
    await dropCheckpoint(node.store.folder, id)
    return {}
  },
})

export const backupMethods = [createCheckpoint, releaseCheckpoint] as const
