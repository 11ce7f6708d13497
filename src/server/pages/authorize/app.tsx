/** @jsxImportSource hono/jsx */
/**
 * Head of a page about the requesting app: the name from the operator's directory, else the app id, which is
 * unverified.
 */
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import { appText, sanitiseText } from '../../api/accessRequests/consentWords.js'
import type { Context } from '../../call/context.js'
import { clientIn } from '../../api/oauth/authorization.js'
import { findApp } from '../../api/register/appDirectory.js'
import { iconPath } from '../icons/answer.js'
import type { Visit } from '../page.js'
import { authorizeWords } from './words.js'
import { findRequest } from '../../api/accessRequests/copies.js'
import type { AccessRequestDeps } from '../../api/accessRequests/requests.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'

/**
 * Returns the access request of a visit, of any core; undefined when none is named or it has expired. `isOpen` keeps it until it is
 * answered.
 * @throws Failure `platform-unavailable`
 */
export async function requestOf(
  { node, flow }: { node: Context & AccessRequestDeps & CoreCallDeps; flow: Visit['flow'] },
  options: { isOpen?: true } = {},
): Promise<AccessRequest | undefined> {
  if (flow.key === undefined) return undefined
  try {
    return await findRequest(node, flow.key, options)
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-access-key') return undefined
    throw error
  }
}

/** Description of an app on a page. */
interface AppSummary {
  /** Absent where a heading already contains it. */
  name?: string
  /** Description by the operator. */
  description?: string
  /** Note on whether the name is verified. */
  note: string
  /** Path of its icon. */
  icon: string | undefined
}

async function appSummary({ node, language }: Visit, id: string): Promise<AppSummary & { name: string }> {
  const entry = await findApp(node, id)
  const { name, note } = appText(entry === undefined ? { id } : { id, entry }, language)
  return { name, note, icon: entry === undefined ? undefined : iconPath(node, entry) }
}

/** Renders the head of a page about an app: icon, name, and whether the name is verified. */
export function AppHead({ name, description, note, icon }: AppSummary) {
  return (
    <div class="app">
      {icon === undefined ? null : <img src={icon} alt="" width="48" height="48" />}
      <div>
        {name === undefined ? null : (
          <strong>
            <bdi>{name}</bdi>
          </strong>
        )}
        {description === undefined ? null : <p>{description}</p>}
        <p class="small soft">{note}</p>
      </div>
    </div>
  )
}

/** Renders the head of a page about the app with an id. */
export async function AppHeadOf({ visit, id }: { visit: Visit; id: string }) {
  return <AppHead {...await appSummary(visit, id)} />
}

/** Returns the name of the OAuth client of a visit. */
async function clientName({ node, flow }: Visit): Promise<string | undefined> {
  const client = flow.oauth === undefined ? undefined : await clientIn(node, flow.oauth)
  return client === undefined ? undefined : sanitiseText(client.clientName)
}

/** Renders a line above a form that names the requesting app; nothing without a request. */
export async function ForApp({ visit }: { visit: Visit }) {
  const request = await requestOf(visit)
  const name = request === undefined ? await clientName(visit) : (await appSummary(visit, request.requestingAppId)).name
  if (name === undefined) return <></>
  return (
    <p>
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      {authorizeWords[visit.language].wantsAccess}
    </p>
  )
}
