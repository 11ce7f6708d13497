/** @jsxImportSource hono/jsx */
/** Pages for the person who runs the node, who has entered the operator key. They call the operator's methods in the process. */
import type { Child } from 'hono/jsx'
import { createControl } from '../../../control/control.js'
import { operatorMethods, type OperatorMethods } from '../../../control/operatorMethods.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page, PageContent } from '../../page.js'
import { headersOfProblem, type Problem } from '../../problem.js'
import { Done, Tabs } from '../components.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { settingsStyle } from '../settings/style.js'
import { isOperator } from './operatorSession.js'
import { operatorStyle } from './style.js'
import { operatorWords } from './words.js'
import type { OperatorWords } from './wordsType.js'

export const OPERATOR = '/operator'

interface OperatorPage {
  path: string
  show: (visit: ConsoleVisit) => Answer | Promise<Answer>
  submit?: (submission: ConsoleFormVisit) => Answer | Promise<Answer>
}

/** Creates a page of the operator. Without the key, it leads to the page that requests it. */
export function operatorPage({ path, show, submit }: OperatorPage): Page {
  const guarded =
    <T extends ConsoleVisit>(act: (visit: T) => Answer | Promise<Answer>) =>
    (visit: T): Answer | Promise<Answer> =>
      isOperator(visit) ? act(visit) : redirectTo(visit, OPERATOR)
  return consolePage({
    path,
    section: 'operator',
    isOfPerson: true,
    show: guarded(show),
    ...(submit === undefined ? {} : { submit: guarded(submit) }),
  })
}

/** Calls an operator method of this node, with the rights of the terminal. */
export const operate = <M extends keyof OperatorMethods>({ node }: ConsoleVisit, id: M, params: OperatorMethods[M]['input']): Promise<OperatorMethods[M]['output']> =>
  createControl(node, [], operatorMethods).call(id, params, {}) as Promise<OperatorMethods[M]['output']>

const tabs = [
  ['health', OPERATOR],
  ['accounts', '/operator/accounts'],
  ['invitations', '/operator/invitations'],
  ['mail', '/operator/mail'],
  ['certificates', '/operator/certificates'],
  ['log', '/operator/log'],
] as const satisfies readonly (readonly [keyof OperatorWords['tabs'], string])[]

type OperatorTab = (typeof tabs)[number][0]

interface ViewProps {
  tab: OperatorTab
  title?: string
  body: Child
  problem?: Problem | undefined
  headers?: Readonly<Record<string, string>>
  /** Notices by the value of the parameter `done`. */
  notices?: Readonly<Record<string, string>>
}

/** Returns the content of a page of the operator: tabs, the notice of the last action, and the body. */
export function operatorView(visit: ConsoleVisit, { tab, title, body, problem, headers = {}, notices = {} }: ViewProps): PageContent {
  const words = operatorWords[visit.language]
  const done = visit.query.get('done') ?? ''
  const content = (
    <>
      <div class="operator-bar">
        <Tabs label={words.title} tabs={tabs.map(([id, path]) => ({ text: words.tabs[id], href: linkTo(visit, path), isCurrent: id === tab }))} />
        <Form visit={visit} path={OPERATOR}>
          <input type="hidden" name="do" value="close" />
          <button class="second small">{words.close}</button>
        </Form>
      </div>
      {problem === undefined && Object.hasOwn(notices, done) ? <Done text={notices[done]} /> : null}
      {body}
    </>
  )
  return {
    title: title ?? words.tabs[tab],
    body: content,
    assets: [settingsStyle, operatorStyle],
    status: problem?.status ?? 200,
    headers: { ...headers, ...headersOfProblem(problem) },
  }
}
