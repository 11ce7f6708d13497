/** @jsxImportSource hono/jsx */
/** Finds the access that an app received, and renders its permissions. */
import type { AccessRequest, Accepted } from '../../../store/model/accessRequest.js'
import type { Permission } from '../../../store/model/access.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { permissionText } from '../../api/accessRequests/consentWords.js'
import { get } from '../../api/accesses/get.js'
import { streamName } from '../access/grantedAccesses.js'
import type { Visit } from '../page.js'
import type { Session } from '../flow.js'
import { callAsOwner } from '../session.js'
import { RowText } from './rows.js'
import { authorizeWords } from './words.js'

interface GrantedAccess {
  /** Absent when the token is hidden from a delegate. */
  token?: string
  type: string
  name: string
  deviceName?: string | null
  permissions?: Permission[]
}

/**
 * Finds the access that the app received: by its token, or by the app's name where the app fetches the token once
 * itself. Returns undefined when the access was revoked or never existed.
 */
export async function grantedBy(
  visit: Visit,
  session: Session,
  { requestingAppId, deviceName }: Pick<AccessRequest, 'requestingAppId' | 'deviceName'>,
  { grant }: Accepted,
): Promise<GrantedAccess | undefined> {
  const { accesses } = await callAsOwner(visit, session, get, {})
  const all = accesses as GrantedAccess[]
  if ('token' in grant) return all.find(({ token = '' }) => constantTimeEqual(token, grant.token.reveal()))
  return all.find((each) => each.type === 'app' && each.name === requestingAppId && (each.deviceName ?? undefined) === deviceName)
}

/** Renders the permissions of an access. */
export function GrantedRows({ visit, session, access }: { visit: Visit; session: Session; access: GrantedAccess }) {
  const { permissions = [] } = access
  if (permissions.length === 0) return <></>
  const { language } = visit
  const nameOf = (permission: Permission): string | undefined =>
    'streamId' in permission ? streamName({ ...visit, session }, permission.streamId) : undefined
  return (
    <>
      <h2>{authorizeWords[language].mayDo}</h2>
      <ul class="rows">
        {permissions.map((permission) => (
          <li>
            <RowText what={permissionText(permission, nameOf(permission), language)} details={[]} />
          </li>
        ))}
      </ul>
    </>
  )
}
