/** @jsxImportSource hono/jsx */
/** Consents to other accounts on the page of an app's request: the requested access and its answer, without scripts. */
import type { InviteAnswers } from '../../api/accessRequests/inviteAnswers.js'
import { invitesHeading, inviteTexts, type InviteText } from '../../api/accessRequests/inviteWords.js'
import type { OfferedInvite } from '../../api/accessRequests/invites.js'
import type { Language } from '../../base/words.js'
import { RowText, Tick } from './rows.js'

const AGREE = 'agree'
const DECLINE = 'decline'

const answerField = (id: string): string => `consent-${id}`
const grantField = (id: string): string => `consent-${id}-grant`

/** Parses the answers of a form to the pending invitations; invitations without an answer are left out. */
export function answersIn(form: URLSearchParams, ids: readonly string[]): InviteAnswers {
  const answered = ids.flatMap((id) => {
    const word = form.get(answerField(id))
    if (word !== AGREE && word !== DECLINE) return []
    return [[id, { agrees: word === AGREE, kept: form.getAll(grantField(id)) }] as const]
  })
  return Object.fromEntries(answered)
}

interface Props {
  invites: readonly OfferedInvite[]
  language: Language
  /** The answers given so far. */
  answers: InviteAnswers
  /** True when the request can be accepted. */
  isPossible: boolean
}

/** Renders the invitations of a request for its form; nothing without invitations. */
export function Invites({ invites, language, answers, isPossible }: Props) {
  if (invites.length === 0) return <></>
  const { title, about } = invitesHeading(invites, language)
  return (
    <>
      <h2>{title}</h2>
      <p class="small">{about}</p>
      {inviteTexts(invites, language).map((text) => (
        <Invite text={text} answer={answers[text.id]} isPending={isPossible && text.isOpen} />
      ))}
    </>
  )
}

function Invite({ text, answer, isPending }: { text: InviteText; answer: InviteAnswers[string] | undefined; isPending: boolean }) {
  const { id, title, badge, says: message, notes } = text
  const name = `consent-${id}-title`
  return (
    <section class="invite" aria-labelledby={name}>
      <h3 id={name}>
        {id}. <bdi>{title}</bdi>
      </h3>
      <p>
        <span class="tag">{badge}</span>
      </p>
      {message.map((line) => (
        <p class="small">{line}</p>
      ))}
      <RequesterText text={text} />
      <Rows text={text} answer={answer} isPending={isPending} />
      {notes.map((note) => (
        <p class="small">
          <strong>{note}</strong>
        </p>
      ))}
      {isPending ? <Question text={text} answer={answer} /> : null}
    </section>
  )
}

/** Renders the text by the other account. */
function RequesterText({ text: { theirs, consentHeading } }: { text: InviteText }) {
  const { title, about, consent } = theirs
  return (
    <>
      {title === undefined && about.length === 0 ? null : (
        <blockquote dir="auto">
          {title === undefined ? null : (
            <p>
              <strong>{title}</strong>
            </p>
          )}
          {about.map((paragraph) => (
            <p>{paragraph}</p>
          ))}
        </blockquote>
      )}
      {consent.length === 0 ? null : (
        <figure>
          <figcaption class="small soft">{consentHeading}</figcaption>
          <blockquote dir="auto">
            {consent.map((paragraph) => (
              <p>{paragraph}</p>
            ))}
          </blockquote>
        </figure>
      )}
    </>
  )
}

function Rows({ text: { id, intro, rows, more }, answer, isPending }: { text: InviteText; answer: InviteAnswers[string] | undefined; isPending: boolean }) {
  if (rows.length === 0) return <></>
  const hasChoice = isPending && rows.some(({ isLocked }) => !isLocked)
  const isTicked = (entry: string, asOffered: boolean): boolean => (answer?.agrees === true ? answer.kept.includes(entry) : asOffered)
  return (
    <fieldset>
      <legend>{intro}</legend>
      <ul class="rows">
        {rows.map((row) => (
          <li>{hasChoice ? <Tick row={row} name={grantField(id)} isTicked={isTicked(row.id, row.isTicked)} /> : <RowText {...row} />}</li>
        ))}
        {more.map((what) => (
          <li>
            <RowText what={what} details={[]} />
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

/** Renders the question without a preselected answer; the browser requires one before it sends the form. */
function Question({ text: { id, title, question, agree, decline }, answer }: { text: InviteText; answer: InviteAnswers[string] | undefined }) {
  const choice = (value: string, label: string, isChosen: boolean) => (
    <label class="tick">
      <input type="radio" name={answerField(id)} value={value} checked={isChosen} required />
      <span>{label}</span>
    </label>
  )
  return (
    <fieldset class="apart">
      <legend>
        {question} <span class="hidden">
          {id}. {title}
        </span>
      </legend>
      {choice(AGREE, agree, answer?.agrees === true)}
      {choice(DECLINE, decline, answer?.agrees === false)}
    </fieldset>
  )
}
