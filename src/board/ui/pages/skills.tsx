/** The viber's skills, and what the others lack. */
import type { JSX } from 'preact';
import { usePages, useResource } from '../net/resource.ts';
import { Empty, More, PageHead, Pill, Shown } from '../parts/common.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { ViberChoice, viberAsked, viberKept } from '../parts/viber.tsx';
import { pageLink, place } from '../router.ts';
import { pageWords } from '../words-pages.ts';

interface Skill {
  name: string;
  description: string;
  missing: readonly string[];
  place: string;
}

export function Skills(): JSX.Element {
  const name = place.value.query.get('skill') ?? undefined;
  return name === undefined ? <SkillList /> : <OneSkill name={name} />;
}

function SkillList(): JSX.Element {
  const skills = usePages<{ skills: readonly Skill[] }>(`/api/skills?${viberAsked()}`, 'skills');
  return (
    <>
      <PageHead title={pageWords.skills.title} intro={pageWords.skills.intro}>
        <ViberChoice page="skills" />
      </PageHead>
      <Shown of={skills} rows={8}>
        {({ skills: all }) =>
          all.length === 0 ? (
            <Empty icon="skills" title={pageWords.skills.empty} />
          ) : (
            <ul class="rows">
              {all.map((skill) => (
                <li key={skill.name} class="row">
                  <span class="row-text">
                    <a
                      class="row-title"
                      href={`${pageLink('skills')}?skill=${encodeURIComponent(skill.name)}${viberKept()}`}
                    >
                      {skill.name}
                    </a>
                    <span class="row-sub">{skill.description}</span>
                    {skill.missing.length > 0 && (
                      <span class="row-sub warm">{pageWords.skills.missing(skill.missing.join('; '))}</span>
                    )}
                  </span>
                  <Pill>{skill.place}</Pill>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      <More of={skills} />
    </>
  );
}

function OneSkill({ name }: { name: string }): JSX.Element {
  const skill = useResource<Skill & { text: string }>(`/api/skills/${encodeURIComponent(name)}?${viberAsked()}`);
  const found = skill.data.value;
  return (
    <>
      <PageHead
        title={name}
        intro={found?.description}
        above={
          <a class="back" href={pageLink('skills') + viberKept().replace('&', '?')}>
            <Icon name="left" size={14} />
            {pageWords.skills.all}
          </a>
        }
      />
      <Shown of={skill} rows={8}>
        {({ text }) => <Markdown text={text} />}
      </Shown>
    </>
  );
}
