/** @jsxImportSource hono/jsx */
/** What an app may do by the access that it was given. */
import type { Accepted } from '../../../store/model/accessRequest.js'
import type { Permission } from '../../../store/model/access.js'
import { permissionText } from '../../accessRequest/consentWords.js'
import { get } from '../../accesses/get.js'
import { streamName } from '../access/given.js'
import { isSame } from '../cookies.js'
import type { Session, Visit } from '../page.js'
import { callAsOwner } from '../session.js'
import { RowText } from './consent.js'
import { authorizeWords } from './words.js'

interface GrantedAccess {
  token: string
  permissions?: Permission[]
}

/** The access whose token the app was told; undefined when it was taken back meanwhile, or never was. */
export async function grantedBy(visit: Visit, session: Session, { grant }: Accepted): Promise<GrantedAccess | undefined> {
  if (!('token' in grant)) return undefined
  const { accesses } = await callAsOwner(visit, session, get, {})
  return (accesses as GrantedAccess[]).find(({ token }) => isSame(token, grant.token.reveal()))
}

/** The permissions of an access in words. */
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
