/** @jsxImportSource hono/jsx */
/** What an app may do by the access that it was given. */
import { get } from '../../accesses/get.js'
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import type { Session, Visit } from '../page.js'
import { callAsOwner } from '../session.js'

interface GrantedAccess {
  type: string
  name: string
  deviceName?: string | null
  permissions?: Readonly<Record<string, unknown>>[]
}

/** The access that the app of an accepted request has; undefined when it was taken back meanwhile. */
export async function grantedTo(visit: Visit, session: Session, request: AccessRequest): Promise<GrantedAccess | undefined> {
  const { accesses } = await callAsOwner(visit, session, get, {})
  const { requestingAppId, deviceName } = request
  return (accesses as GrantedAccess[]).find(
    (access) => access.type === 'app' && access.name === requestingAppId && (access.deviceName ?? undefined) === deviceName,
  )
}

export function GrantedRows({ access }: { visit: Visit; session: Session; access: GrantedAccess }) {
  return <p>{JSON.stringify(access.permissions)}</p>
}
