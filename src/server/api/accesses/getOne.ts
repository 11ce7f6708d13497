import * as z from 'zod'
import { findAccessVersion, listAccessVersions, type LiveAccess } from '../../../store/accesses/accesses.js'
import { accessIdOf, parseAccessId } from '../../../store/model/access.js'
import { Failure } from '../../../store/model/failure.js'
import { accessReader } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { foundAccess, isManagedBy } from './rules.js'
import { AccessView } from './schema.js'
import { viewOf } from './view.js'

/** Route that reads an access or one of its versions. See docs/interface/accesses.md#listing. */
export const getOne = method({
  id: 'accesses.getOne',
  summary: 'Reads one access, or an earlier version of it.',
  http: { verb: 'GET', path: '/accesses/:id', query: { includeHistory: 'boolean' } },
  caller: accessReader,
  checksCaller: true,
  input: z.strictObject({
    id: z.string().describe('Id of the access; with a serial (id:2), an earlier version.'),
    includeHistory: z.boolean().optional().describe('Include earlier versions; default false.'),
    auth: z.string().optional(),
  }),
  output: () => z.object({
    access: AccessView.describe('The access.'),
    current: z.string().optional().describe('Id of the current version, where an earlier one was asked for.'),
    history: z.array(AccessView).optional().describe('Earlier versions.'),
  }),
  fails: ['unknown-resource', 'forbidden'],
  async run(call, { id, includeHistory }) {
    const { account } = call
    const live = foundAccess(call, account.db, id)
    assertVisible(call, id, live)
    const result = versionOf(call, id, live)
    if (includeHistory !== true) return result
    const versions = await listAccessVersions(account, live.access.id)
    return { ...result, history: versions.map((access) => viewOf(call, { access, token: live.token })) }
  },
})

/** Reports accesses that an app may not see as unknown. The failure of an unknown id comes before that of the caller. */
function assertVisible(call: Call, id: string, { access }: LiveAccess): void {
  const { caller } = call
  if (caller.scope.personal) return
  accessReader.assertAllows(call)
  if (access.id === caller.access.id || isManagedBy(call, access)) return
  throw new Failure('unknown-resource', `Unknown access "${id}".`)
}

function versionOf(call: Call, id: string, live: LiveAccess): Result {
  const { access, token } = live
  const { base, serial } = parseAccessId(id)
  if (serial === undefined || serial === access.serial) return { access: viewOf(call, live) }
  const { db, prefix } = call.account
  const version = findAccessVersion(db, prefix, base, serial)
  if (version === undefined) throw new Failure('unknown-resource', `Unknown access "${id}".`)
  return { access: viewOf(call, { access: version, token }), current: accessIdOf(access) }
}
