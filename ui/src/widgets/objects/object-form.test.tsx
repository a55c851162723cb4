import { MantineProvider, TextInput } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/api/http";
import { TestRouter } from "@/ui/test-router";
import { theme } from "@/ui/theme";
import { type Keyed, keyed } from "../keyed";
import type { ObjectCalls } from "./calls";
import { Lines, type TagCondition, TagConditionLine } from "./lines";
import { ObjectForm, refusalOf } from "./object-form";

interface Fields {
  readonly name: string;
  readonly tags: readonly Keyed<TagCondition>[];
}

const WORDS = {
  one: "Entry",
  create: "New entry",
  remove: "Delete entry",
  loss: "It is gone then.",
  absent: "There is no such entry.",
  saved: "Entry saved",
  notRemoved: "The entry could not be deleted.",
};

const OPERATORS = [
  { value: "0", label: "Equals" },
  { value: "12", label: "Exists" },
];

function callsWith(part: Partial<ObjectCalls<Fields>> = {}) {
  const done = vi.fn(async () => "8");
  return {
    object: "sla",
    words: WORDS,
    change: "sla",
    create: done,
    update: done,
    remove: done,
    ...part,
  } as const;
}

async function open(calls: ObjectCalls<Fields>, existing: boolean, onDone = vi.fn()) {
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={new QueryClient()}>
        <TestRouter>
          <ObjectForm<Fields, Fields>
            calls={calls}
            existing={existing ? { id: "7", name: "web" } : undefined}
            first={() => ({ name: existing ? "web" : "", tags: [] })}
            isComplete={({ name }) => name !== ""}
            draftOf={(fields) => fields}
            cloned={({ name }) => ({ name: `${name} (copy)` })}
            onDone={onDone}
          >
            {({ fields, set, attempted, refusal }) => (
              <>
                <TextInput
                  label="Name"
                  value={fields.name}
                  error={refusal("/1/name") ?? (attempted && fields.name === "" ? "missing" : null)}
                  onChange={(event) => set({ name: event.currentTarget.value })}
                />
                <Lines
                  lines={fields.tags}
                  onChange={(tags) => set({ tags })}
                  add="Add tag"
                  newLine={() => keyed({ tag: "", operator: "0", value: "" })}
                >
                  {(parts) => (
                    <TagConditionLine
                      {...parts}
                      what="tag"
                      operators={OPERATORS}
                      takesValue={(operator) => operator !== "12"}
                    />
                  )}
                </Lines>
              </>
            )}
          </ObjectForm>
        </TestRouter>
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByLabelText("Name");
  return userEvent.setup();
}

afterEach(cleanup);

describe("the form of an object", () => {
  it("is not sent while something is missing, and says what", async () => {
    const calls = callsWith();
    const user = await open(calls, false);
    await user.click(screen.getByRole("button", { name: "Create" }));
    expect(screen.getByText("missing")).toBeTruthy();
    expect(calls.create).not.toHaveBeenCalled();
  });

  it("makes a new one, is done, and distinguishes lines", async () => {
    const calls = callsWith();
    const onDone = vi.fn();
    const user = await open(calls, false, onDone);
    await user.type(screen.getByLabelText("Name"), "db");
    await user.click(screen.getByRole("button", { name: "Add tag" }));
    await user.click(screen.getByRole("button", { name: "Add tag" }));
    await user.type(screen.getByLabelText("Tag 1"), "a");
    await user.type(screen.getByLabelText("Tag 2"), "b");
    await user.type(screen.getByLabelText("Value of tag 2"), "c");
    await user.click(screen.getByRole("button", { name: "Remove tag 1" }));
    await user.click(screen.getByRole("button", { name: "Create" }));
    await vi.waitFor(() => expect(onDone).toHaveBeenCalledExactlyOnceWith("8"));
    const tags = [expect.objectContaining({ tag: "b", operator: "0", value: "c" })];
    expect(calls.create).toHaveBeenCalledWith({ name: "db", tags });
  });

  it("changes an existing one under its id, and makes another of its clone", async () => {
    const update = vi.fn(async () => {});
    const create = vi.fn(async () => "8");
    const user = await open(callsWith({ update, create }), true);
    await user.type(screen.getByLabelText("Name"), "01");
    await user.click(screen.getByRole("button", { name: "Save" }));
    // what was not changed is nobody's to write back
    await vi.waitFor(() => expect(update).toHaveBeenCalledWith("7", { name: "web01" }));
    await user.click(screen.getByRole("button", { name: "Clone" }));
    expect(screen.getByRole("form", { name: "New entry" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Delete entry" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Create" }));
    await vi.waitFor(() => expect(create).toHaveBeenCalledOnce());
    expect(create.mock.calls[0]).toContainEqual({ name: "web01 (copy)", tags: [] });
    expect(update).toHaveBeenCalledOnce();
  });

  it("deletes only after it has asked", async () => {
    const remove = vi.fn(async () => {});
    const onDone = vi.fn();
    const user = await open(callsWith({ remove }), true, onDone);
    await user.click(screen.getByRole("button", { name: "Delete entry" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete web?" });
    expect(within(dialog).getByText("It is gone then.")).toBeTruthy();
    expect(remove).not.toHaveBeenCalled();
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(remove).toHaveBeenCalledWith(["7"]);
  });

  it("shows at the field what the server says of it", async () => {
    const create = vi.fn(() =>
      Promise.reject(refused('Invalid parameter "/1/name": value is used already.')),
    );
    const user = await open(callsWith({ create }), false);
    await user.type(screen.getByLabelText("Name"), "db");
    await user.click(screen.getByRole("button", { name: "Create" }));
    expect(await screen.findByText("value is used already")).toBeTruthy();
  });
});

function refused(text: string) {
  return new ApiError("refused", text);
}

describe("the refusal of a field", () => {
  const refusal = refusalOf(refused('Invalid parameter "/1/tags/2/tag": cannot be empty.'));
  it("counts for what it is a part of, and for nothing else", () => {
    expect(refusal("/1/tags/2")).toBe("cannot be empty");
    expect(refusal("/1/tags/2/tag")).toBe("cannot be empty");
    expect(refusal("/1/tags/20")).toBeUndefined();
    expect(refusal("/1/tag")).toBeUndefined();
    expect(refusalOf(null)("/1")).toBeUndefined();
  });
});
