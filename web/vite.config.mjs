// One file comes out: index.html with script and style inside. It is compiled into the command.
import {readFileSync} from 'node:fs';
import {defineConfig} from 'vite';

// The parser of the page ends a script at the first "</script", wherever it stands.
const script_safe = (code) => code.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');

// Who is inside is named, as their licences ask.
const licences = ['three', 'uplot'].map((name) =>
  `<!-- ${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}\n-->\n`).join('');

const one_file = {
  name: 'one-file',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = Object.values(bundle).find((file) => file.fileName.endsWith('.html'));
    for (const file of Object.values(bundle)) {
      if (file === page) continue;
      const code = file.type === 'chunk' ? script_safe(file.code) : file.source;
      const tag = file.type === 'chunk' ? /<script type="module"[^>]*src="[^"]*"[^>]*><\/script>/
                                        : /<link rel="stylesheet"[^>]*>/;
      const inside = file.type === 'chunk' ? `<script type="module">${code}</script>`
                                           : `<style>${code}</style>`;
      if (!tag.test(page.source)) throw new Error(`${file.fileName} has no place in the page`);
      page.source = page.source.replace(tag, () => inside);
      delete bundle[file.fileName];
    }
    page.source = page.source.replace('</body>', () => `${licences}</body>`);
  },
};

export default defineConfig({
  plugins: [one_file],
  build: {
    target: 'es2021',
    modulePreload: {polyfill: false},
    assetsInlineLimit: 1 << 24,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
    emptyOutDir: true,
  },
});
