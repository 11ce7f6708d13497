/** @jsxImportSource hono/jsx */
/** Which app asks: by the operator's directory, else by its id as it is, which is the app's own claim. */
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import { appText, displayed } from '../../accessRequest/consentWords.js'
import type { Node } from '../../node.js'
import { clientIn } from '../../oauth/authorization.js'
import { findApp } from '../../register/appDirectory.js'
import { iconPath } from '../icons/answer.js'
import type { Visit } from '../page.js'
import { authorizeWords } from './words.js'

/** The request that a visit is about; undefined when there is none any more, or none is named. */
export function requestOf({ node, flow }: { node: Node; flow: Visit['flow'] }): AccessRequest | undefined {
  if (flow.key === undefined) return undefined
  try {
    return node.accessRequests.find(flow.key)
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-access-key') return undefined
    throw error
  }
}

/** What pages show of an app. */
interface ShownApp {
  /** Left out where a title says it. */
  name?: string
  /** What the operator says of it. */
  description?: string
  /** How far the name can be relied on. */
  note: string
  /** Path of its icon. */
  icon: string | undefined
}

async function appShown({ node, language }: Visit, id: string): Promise<ShownApp & { name: string }> {
  const entry = await findApp(node, id)
  const { name, note } = appText(entry === undefined ? { id } : { id, entry }, language)
  return { name, note, icon: entry === undefined ? undefined : iconPath(node, entry) }
}

/** The head of a page about an app: its icon, its name, and how far that can be relied on. */
export function AppHead({ name, description, note, icon }: ShownApp) {
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

/** The head of a page about the app with an id. */
export async function AppHeadOf({ visit, id }: { visit: Visit; id: string }) {
  return <AppHead {...await appShown(visit, id)} />
}

/** What the OAuth client is called that a visit is about. */
async function clientName({ node, flow }: Visit): Promise<string | undefined> {
  const client = flow.oauth === undefined ? undefined : await clientIn(node, flow.oauth)
  return client === undefined ? undefined : displayed(client.clientName)
}

/** One line above the form of a page on the way to a request: for which app it is. Nothing without a request. */
export async function ForApp({ visit }: { visit: Visit }) {
  const request = requestOf(visit)
  const name = request === undefined ? await clientName(visit) : (await appShown(visit, request.requestingAppId)).name
  if (name === undefined) return <></>
  return (
    <p>
      {authorizeWords[visit.language].asksAccess}{' '}
      <strong>
        <bdi>{name}</bdi>
      </strong>
    </p>
  )
}
