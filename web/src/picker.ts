// picker.ts: all channels in a list to search and choose from.
import {Channel, Result} from './data';
import {icon_button, make, number_text} from './format';

const MOST_SHOWN = 400;

export class Picker {
  readonly root: HTMLDialogElement;
  private readonly search = make('input', {type: 'search', placeholder: 'Search names, units, descriptions', 'aria-label': 'Search channels'});
  private readonly list = make('div', {class: 'channels', role: 'listbox', 'aria-multiselectable': 'true'});
  private readonly count = make('span', {class: 'count'});
  private chosen = new Set<Channel>();
  private notify: (channels: Channel[]) => void = () => {};

  constructor(private readonly result: Result) {
    const done = make('button', {type: 'button', class: 'text strong'}, 'Done');
    this.root = make('dialog', {class: 'picker', 'aria-label': 'Choose channels'},
      make('header', {}, this.search, icon_button('close', 'Close', () => this.root.close())),
      this.list, make('footer', {}, this.count, done));
    done.addEventListener('click', () => this.root.close());
    this.search.addEventListener('input', () => this.fill());
    this.root.addEventListener('click', (e) => { if (e.target === this.root) this.root.close(); });
  }

  open(chosen: Channel[], notify: (channels: Channel[]) => void): void {
    this.chosen = new Set(chosen);
    this.notify = notify;
    this.search.value = '';
    this.fill();
    this.root.showModal();
    this.search.focus();
  }

  // Every word has to be somewhere in the name, the unit or the description.
  private fill(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (c: Channel) => {
      const text = `${c.name} ${c.unit} ${c.help}`.toLowerCase();
      return words.every((w) => text.includes(w));
    };
    const found = this.result.channels.filter((c) => c.name !== 'time' && fits(c));
    const ordered = [...found.filter((c) => this.chosen.has(c)), ...found.filter((c) => !this.chosen.has(c))];
    this.list.replaceChildren(...ordered.slice(0, MOST_SHOWN).map((c) => this.row(c)));
    this.count.textContent = found.length > MOST_SHOWN ? `${MOST_SHOWN} of ${found.length} channels shown`
                                                       : `${found.length} channel${found.length === 1 ? '' : 's'}`;
  }

  private row(channel: Channel): HTMLElement {
    const row = make('button', {type: 'button', class: 'channel', role: 'option', 'data-channel': channel.name},
      make('span', {class: 'name'}, channel.name),
      make('span', {class: 'unit'}, channel.unit === '1' ? '' : channel.unit),
      make('span', {class: 'range'}, `${number_text(channel.min, 4)} … ${number_text(channel.max, 4)}`),
      make('span', {class: 'help'}, channel.help));
    const show = () => row.setAttribute('aria-selected', String(this.chosen.has(channel)));
    show();
    row.addEventListener('click', () => {
      if (!this.chosen.delete(channel)) this.chosen.add(channel);
      show();
      this.notify([...this.chosen]);
    });
    return row;
  }
}
