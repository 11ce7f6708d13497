/** @jsxImportSource hono/jsx */
/** What an app may do by the access that it was given. */
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import type { Permission } from '../../../store/model/access.js'
import { permissionText } from '../../accessRequest/consentWords.js'
import { get } from '../../accesses/get.js'
import type { Session, Visit } from '../page.js'
import { callAsOwner } from '../session.js'
import { RowText } from './consent.js'
import { authorizeWords } from './words.js'

interface GrantedAccess {
  type: string
  name: string
  deviceName?: string | null
  permissions?: Permission[]
}

/** The access that the app of an accepted request has; undefined when it was taken back meanwhile. */
export async function grantedTo(visit: Visit, session: Session, request: AccessRequest): Promise<GrantedAccess | undefined> {
  const { accesses } = await callAsOwner(visit, session, get, {})
  const { requestingAppId, deviceName } = request
  return (accesses as GrantedAccess[]).find(
    (access) => access.type === 'app' && access.name === requestingAppId && (access.deviceName ?? undefined) === deviceName,
  )
}

/** The permissions of an access in words. */
export function GrantedRows({ visit, session, access }: { visit: Visit; session: Session; access: GrantedAccess }) {
  const { permissions = [] } = access
  if (permissions.length === 0) return <></>
  const { node, language } = visit
  const nameOf = (permission: Permission): string | undefined => {
    if (!('streamId' in permission)) return undefined
    const { streamId } = permission
    return session.account.tree.get(streamId)?.name ?? node.systemStreams.view(streamId)?.name
  }
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
