# SPDX-License-Identifier: MIT
"""The twin of examples/small/characters.c in PyTorch: the next letter of a text."""

import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

LETTERS, WIDTH, HIDDEN, LENGTH, BATCH, STEPS = 256, 32, 128, 64, 16, 400


def pairs_of_letters(train, test):
    seen = torch.zeros(LETTERS, LETTERS)
    seen.index_put_((train[:-1], train[1:]), torch.ones(len(train) - 1), accumulate=True)
    share = (seen + 0.05) / (seen.sum(1, keepdim=True) + 0.05 * LETTERS)
    return -share[test[:-1], test[1:]].log2().mean().item()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter = nn.Embedding(LETTERS, WIDTH)
        self.lstm = nn.LSTM(WIDTH, HIDDEN, batch_first=True)
        self.next = nn.Linear(HIDDEN, LETTERS)

    def forward(self, letters):
        return self.next(self.lstm(self.letter(letters))[0])


def loss_at(net, text, first):
    piece = text[first[:, None] + torch.arange(LENGTH + 1)]
    return F.cross_entropy(net(piece[:, :-1]).flatten(0, 1), piece[:, 1:].flatten())


torch.manual_seed(1)
text = torch.tensor(list(open(sys.argv[1], "rb").read()))
train, test = text[: len(text) * 9 // 10], text[len(text) * 9 // 10 :]
net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=0.005)
for step in range(STEPS):
    optimizer.zero_grad()
    loss = loss_at(net, train, torch.randint(len(train) - LENGTH - 1, (BATCH,)))
    loss.backward()
    optimizer.step()
    if step % 100 == 99:
        print(f"step {step + 1}: {loss.item() / math.log(2):.2f} bits a letter")
with torch.no_grad():
    first = torch.arange(BATCH) * (len(test) - LENGTH - 1) // BATCH
    bits = loss_at(net, test, first).item() / math.log(2)
    print("bits a letter on the last tenth of the text")
    print(f"pairs of letters  {pairs_of_letters(train, test):.2f}\nLSTM              {bits:.2f}\n")
    written = [10]
    for _ in range(LENGTH - 1):
        logits = net(torch.tensor([written]))[0, -1]
        written.append(int(torch.multinomial(torch.softmax(logits / 0.8, 0), 1)))
print("".join(map(chr, written)))
