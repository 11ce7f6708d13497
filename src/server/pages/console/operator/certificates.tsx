/** @jsxImportSource hono/jsx */
/** Certificates of the node: state, and renewal. */
import type { OutputOf } from '../../../call/method.js'
import { certs, forceRenew } from '../../../api/system/certs.js'
import { Form, ProblemBox } from '../../layout.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, type Problem } from '../../problem.js'
import { callNode } from '../../session.js'
import { dayText } from '../../times.js'
import { redirectTo, type ConsoleVisit } from '../consolePage.js'
import { operate, operatorPage, operatorView } from './operatorPage.js'
import { operatorWords } from './words.js'

const CERTIFICATES = '/operator/certificates'

type Certificate = OutputOf<typeof certs>['certs'][number]

export const certificatesPage: Page = operatorPage({
  path: CERTIFICATES,
  show: (visit) => view(visit),
  async submit(submission) {
    try {
      await callNode(submission, forceRenew, {})
    } catch (error) {
      return view(submission, problemOf(submission, error))
    }
    return redirectTo(submission, CERTIFICATES, { done: 'renewed' })
  },
})

async function view(visit: ConsoleVisit, problem?: Problem): Promise<Answer> {
  const words = operatorWords[visit.language].certificates
  const { isOn, fault } = await operate(visit, 'certs.problem', {})
  const { certs: all } = (await callNode(visit, certs, {})) as { certs: Certificate[] }
  const body = (
    <>
      <ProblemBox visit={visit} problem={problem} />
      <p class="soft">{isOn ? words.on : words.off}</p>
      {fault === null ? null : (
        <p class="problem">
          {words.fault} <code>{fault}</code>
        </p>
      )}
      {all.length === 0 ? <p>{words.none}</p> : <List visit={visit} all={all} />}
      {isOn ? (
        <Form visit={visit} path={CERTIFICATES}>
          <p class="buttons">
            <button class="second">{words.renew}</button>
          </p>
        </Form>
      ) : null}
    </>
  )
  return operatorView(visit, { tab: 'certificates', body, problem, notices: { renewed: words.renewed } })
}

function List({ visit, all }: { visit: ConsoleVisit; all: readonly Certificate[] }) {
  const words = operatorWords[visit.language].certificates
  return (
    <div class="framed" tabindex={0} role="region" aria-label={operatorWords[visit.language].tabs.certificates}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col">{words.issued}</th>
            <th scope="col">{words.ends}</th>
            <th scope="col" class="right">
              {words.days}
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ hostname, issuedAt, expiresAt, daysUntilExpiry }) => (
            <tr>
              <th scope="row">{hostname}</th>
              <td>{dayText(issuedAt / 1000, visit)}</td>
              <td>{dayText(expiresAt / 1000, visit)}</td>
              <td class="number right">{daysUntilExpiry ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
