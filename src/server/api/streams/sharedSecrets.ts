/**
 * Streams of shared secrets, as shown by streams.get when requested by id: one for each access that has secrets
 * (docs/interface/shared-secrets.md#events).
 */
import { accessOfSecretsStream, SECRETS_ROOT, secretsStreamOf } from '../../../store/model/sharedSecret.js'
import type { StreamView as View } from '../../../store/model/stream.js'
import { accessesWithSecrets } from '../../../store/accesses/sharedSecrets.js'
import type { Call } from '../../call/method.js'
import { nodeView } from './audit.js'

const clientData = { sharedSecrets: { kind: 'reserved', autoProvisioned: true } }

const viewOf = (accessId: string): View => ({
  ...nodeView(secretsStreamOf(accessId), `Shared secrets of ${accessId}`, SECRETS_ROOT),
  clientData,
})

/**
 * Returns the root with the streams that the caller may see, or one of those; undefined when hidden or missing.
 * The caller's own stream exists even without secrets.
 */
export async function secretsView({ account, caller }: Call, id: string): Promise<View | undefined> {
  const { access, scope } = caller
  const input = accessOfSecretsStream(id)
  if (input === access.id) return viewOf(input)
  if (input !== undefined && !scope.personal) return undefined
  const accesses = (await accessesWithSecrets(account)).filter((base) => scope.personal || base === access.id)
  if (input !== undefined) return accesses.includes(input) ? viewOf(input) : undefined
  return { ...nodeView(SECRETS_ROOT, 'Shared secrets', null, accesses.map(viewOf)), clientData }
}
