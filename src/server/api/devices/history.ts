import * as z from 'zod'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { SyncDeps } from '../../sync/sync.js'
import { ContactView } from '../../sync/views.js'
import { deviceAt } from './rules.js'

const MAX_CONTACTS = 200

/** The method devices.history (docs/interface/devices.md#states). */
export const history = method({
  id: 'devices.history',
  summary: 'Lists the contacts with a paired node, the latest first.',
  http: { verb: 'GET', path: '/devices/:id/history', query: { limit: 'number' } },
  caller: personalOnly,
  input: z.strictObject({
    id: z.string().describe('Id of the device.'),
    limit: z.int().min(1).max(MAX_CONTACTS).default(20).describe('Maximum number of contacts.'),
    auth: z.string().optional(),
  }),
  output: () => z.object({ contacts: z.array(ContactView).describe('The contacts.') }),
  fails: ['invalid-parameters-format', 'unknown-resource', 'forbidden'],
  async run(call: Call<SyncDeps>, { id, limit }) {
    const { account, node, user } = call
    const { number, name } = await deviceAt(call, id)
    const contacts = await node.sync.peers.history(account, number, limit)
    return { contacts: contacts.map((contact) => ({ peer: name, user: user.username, ...contact })) }
  },
})
