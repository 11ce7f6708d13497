/** @jsxImportSource hono/jsx */
/** Renders permissions in words, one per row, with or without a checkbox. */
import type { ConsentRow } from '../../api/accessRequests/consentWords.js'

/** Renders a row to choose. Browsers do not send a disabled checkbox, so a hidden field carries its value. */
export function Tick({ row, name, isTicked }: { row: ConsentRow; name: string; isTicked: boolean }) {
  const { id, isLocked } = row
  return (
    <label class="tick">
      <input type="checkbox" name={name} value={id} checked={isLocked || isTicked} disabled={isLocked} />
      {isLocked ? <input type="hidden" name={name} value={id} /> : null}
      <RowText {...row} />
    </label>
  )
}

/** Renders a permission with its remarks; the mark of a required permission comes last. */
export function RowText({ what, details, isRequired = false }: Pick<ConsentRow, 'what' | 'details'> & { isRequired?: boolean }) {
  const remarks = isRequired ? details.slice(0, -1) : details
  return (
    <span class="row">
      <span>{what}</span>
      {remarks.length === 0 ? null : <span class="small soft">{remarks.join(' · ')}</span>}
      {isRequired ? (
        <span>
          <span class="tag">{details.at(-1)}</span>
        </span>
      ) : null}
    </span>
  )
}
