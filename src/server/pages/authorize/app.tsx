/** @jsxImportSource hono/jsx */
/** Which app asks: by the operator's directory, else by its id as it is, which is the app's own claim. */
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import type { Node } from '../../node.js'
import type { App } from '../../register/appDirectory.js'
import type { Language } from '../../words.js'
import { iconPath, listedApp } from '../icons/answer.js'
import type { Visit } from '../page.js'
import { shownName } from './shownText.js'
import { authorizeWords } from './words.js'

/** An app as pages show it. */
export interface ShownApp {
  /** The name that the operator gave it, else its id. */
  name: string
  id: string
  /** Whether the operator's directory has it. */
  isListed: boolean
  /** Path of its icon. */
  icon?: string
}

/** The app of a request, for a page in a language. */
export async function appShown({ node, language }: Pick<Visit, 'node' | 'language'>, id: string): Promise<ShownApp> {
  const app = await listedApp(node, id)
  const shown: ShownApp = { name: nameOf(app, language) ?? shownName(id), id: shownName(id), isListed: app !== undefined }
  const icon = app === undefined ? undefined : iconPath(node, app)
  if (icon !== undefined) shown.icon = icon
  return shown
}

function nameOf(app: App | undefined, language: Language): string | undefined {
  const words = app?.displayName
  const name = typeof words === 'object' ? (words[language] ?? words['en'] ?? Object.values(words)[0]) : words
  return name === '' ? undefined : name
}

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

/** The head of a page about an app: its icon, its name, and how far that can be relied on. */
export function AppHead({ visit, app }: { visit: Visit; app: ShownApp }) {
  const words = authorizeWords[visit.language]
  return (
    <div class="app">
      {app.icon === undefined ? null : <img src={app.icon} alt="" width="48" height="48" />}
      <div>
        <strong class="name">
          <bdi>{app.name}</bdi>
        </strong>
        {app.isListed && app.name === app.id ? null : (
          <p class="small soft name">{app.isListed ? <bdi class="code">{app.id}</bdi> : words.notListed}</p>
        )}
      </div>
    </div>
  )
}

/** One line above the form of a page on the way to a request: for which app it is. Nothing without a request. */
export async function ForApp({ visit }: { visit: Visit }) {
  const request = requestOf(visit)
  if (request === undefined) return <></>
  const app = await appShown(visit, request.requestingAppId)
  return (
    <p class="name">
      {authorizeWords[visit.language].asksAccess} <strong><bdi>{app.name}</bdi></strong>
    </p>
  )
}
