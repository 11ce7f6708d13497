/**
 * Script of the section of data: moves a stream that is dragged onto another one, by the form of the tree, and restores opened
 * branches after a live update.
 */
export const dataScriptText = `
'use strict'
{
const all = (query, within = document) => [...within.querySelectorAll(query)]
let dragged
const targetOf = (event) => event.target instanceof Element ? event.target.closest('.tree a[data-stream], a[data-drop]') : null
const idOf = (link) => link.dataset.stream || ''
// A stream cannot be moved into itself or a stream in it.
const mayDrop = (target) => dragged && target && target !== dragged && !dragged.parentElement.contains(target)
const unmark = () => { for (const link of all('.over')) link.classList.remove('over') }
addEventListener('dragstart', (event) => {
  const link = targetOf(event)
  dragged = link && link.dataset.stream ? link : undefined
  if (dragged) event.dataTransfer.effectAllowed = 'move'
})
addEventListener('dragend', () => { unmark(); dragged = undefined })
addEventListener('dragover', (event) => {
  const target = targetOf(event)
  unmark()
  if (!mayDrop(target)) return
  event.preventDefault()
  target.classList.add('over')
})
addEventListener('drop', (event) => {
  const target = targetOf(event)
  const form = document.getElementById('move-stream')
  if (!mayDrop(target) || !form) return
  event.preventDefault()
  form.elements.id.value = idOf(dragged)
  form.elements.parent.value = idOf(target)
  form.requestSubmit()
})
// Branches stay as the reader opened and closed them.
const branches = new Map()
document.addEventListener('toggle', (event) => {
  const { dataset, id, open } = event.target
  if (dataset.branch) branches.set(dataset.branch, open)
  else if (id === 'streams') branches.set('', open)
}, true)
addEventListener('refreshed', (event) => {
  if (event.target.id !== 'streams') return
  if (branches.has('')) event.target.open = branches.get('')
  for (const branch of all('details[data-branch]', event.target)) if (branches.has(branch.dataset.branch)) branch.open = branches.get(branch.dataset.branch)
})
}
`
