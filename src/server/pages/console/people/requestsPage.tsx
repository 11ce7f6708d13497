/** @jsxImportSource hono/jsx */
/** Opens the request of an app by its address or code, and lists the services connected by OAuth. */
import { grantedAccesses } from '../../access/grantedAccesses.js'
import { requestOf } from '../../authorize/app.js'
import { Field, Form } from '../../layout.js'
import { flowOf, linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { consolePage, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { AccessRows } from './accessRows.js'
import { REQUESTS_PATH } from './paths.js'
import { tabContent } from './peopleTabs.js'
import { requestWords } from './requestWords.js'

const MAX_CODE = 4000

export const requestsPage: Page = consolePage({
  path: REQUESTS_PATH,
  section: 'people',
  show: (visit) => content(visit),
  async submit(submission) {
    const words = requestWords[submission.language]
    const code = (submission.form.get('code') ?? '').trim().slice(0, MAX_CODE)
    if (code === '') return content(submission, '', problemWith(words.empty, 'code'))
    try {
      return (await opened(submission, code)) ?? content(submission, code, { ...problemWith(words.unknown, 'code'), status: 404 })
    } catch (error) {
      return content(submission, code, problemOf(submission, error))
    }
  },
})

/** Returns the redirect to the page of a request; undefined when there is none. */
async function opened({ node, flow }: ConsoleFormVisit, code: string): Promise<Answer | undefined> {
  const key = URL.canParse(code) ? new URL(code).searchParams.get('key') : code
  const named = flowOf(new URLSearchParams({ key: key ?? '' }))
  const request = await requestOf({ node, flow: named })
  // The page of the request asks for which account it is answered.
  const { as: _, ...rest } = flow
  return request === undefined ? undefined : { redirect: linkTo({ node, flow: { ...rest, ...named } }, '/authorize') }
}

async function content(visit: ConsoleVisit, code = '', problem?: Problem): Promise<Answer> {
  const words = requestWords[visit.language]
  const services = (await grantedAccesses(visit)).accesses.filter(({ kind }) => kind === 'client')
  const body = (
    <>
      <section aria-labelledby="requests">
        <h2 id="requests">{words.requests}</h2>
        <p class="soft">{words.text}</p>
        <Form visit={visit} path={REQUESTS_PATH}>
          <div class="narrow">
            <Field name="code" label={words.code} hint={words.codeHint} value={code} problem={problem} more={{ autocomplete: 'off', maxlength: String(MAX_CODE) }} />
            <p class="buttons">
              <button>{words.open}</button>
            </p>
          </div>
        </Form>
      </section>
      <section aria-labelledby="services">
        <h2 id="services">{words.services}</h2>
        <p class="soft">{words.servicesText}</p>
        <div id="services-list" data-live="yes">
          {services.length === 0 ? <p>{words.noServices}</p> : null}
          <AccessRows visit={visit} path={REQUESTS_PATH} parameter="page" all={services} isBelow />
        </div>
      </section>
    </>
  )
  return tabContent(visit, 'requests', { body, problem })
}
