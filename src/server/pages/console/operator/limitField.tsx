/** @jsxImportSource hono/jsx */
/** Fields of a storage limit: that of the settings, none, or a number of megabytes. */
import type { Problem } from '../../problem.js'
import type { ConsoleVisit } from '../consolePage.js'
import { operatorWords } from './words.js'

const MB = 1_000_000
const MAX_MB = 1_000_000_000

type Limit = number | null | 'default'

const kinds = ['default', 'unlimited', 'own'] as const

/** Returns the limit in bytes of a form; undefined for an invalid one. */
export function limitIn(form: URLSearchParams, name: string): Limit | undefined {
  const kind = form.get(name)
  if (kind === 'default') return 'default'
  if (kind === 'unlimited') return null
  const text = (form.get(`${name}-mb`) ?? '').trim()
  const mb = Number(text)
  return kind === 'own' && text !== '' && Number.isFinite(mb) && mb >= 0 && mb <= MAX_MB ? Math.round(mb * MB) : undefined
}

interface LimitFieldProps {
  visit: ConsoleVisit
  name: string
  label: string
  /** The limit of the account in bytes; null for unlimited, undefined for that of the settings. */
  present: number | null | undefined
  form: URLSearchParams | undefined
  problem: Problem | undefined
}

export function LimitField({ visit, name, label, present, form, problem }: LimitFieldProps) {
  const words = operatorWords[visit.language].account
  const kind = form?.get(name) ?? (present === undefined ? 'default' : present === null ? 'unlimited' : 'own')
  const mb = form?.get(`${name}-mb`) ?? (typeof present === 'number' ? String(present / MB) : '')
  const isWrong = problem?.field === `${name}-mb`
  return (
    <div class="fields">
      <div>
        <label for={name}>{label}</label>
        <select id={name} name={name}>
          {kinds.map((one) => (
            <option value={one} selected={one === kind}>
              {words.kinds[one]}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for={`${name}-mb`}>{words.megabytes(label)}</label>
        <input id={`${name}-mb`} name={`${name}-mb`} inputmode="decimal" value={mb} maxlength={12} {...(isWrong ? { 'aria-invalid': 'true', 'aria-describedby': 'problem' } : {})} />
      </div>
    </div>
  )
}
